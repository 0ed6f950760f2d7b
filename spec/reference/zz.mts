import { createApplication } from './application.js'
import { BLUEPRINTS } from './application.js'
const app = createApplication({ DEBUG: false }); app.on('error', e => console.log(e))
const l = app.listen(0, '127.0.0.1', async () => { for (const p of ['/docs/openapi.json']) {
  const r = await fetch(`http://127.0.0.1:${(l.address() as any).port}${p}`); console.log(r.status, (await r.text()).slice(0, 300)) } l.close() })
