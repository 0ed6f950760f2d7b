import { parseJson } from '/work/main/src/http/json.js'
const MIB = 1024*1024
function filled(item: (index: number) => string, before = '[', after = ']'): string {
  const items: string[] = []
  let size = before.length + after.length
  for (let index = 0; ; index++) { const text = item(index); size += text.length + 1; if (size > MIB) return before + items.join(',') + after; items.push(text) }
}
const T: Record<string,string> = {
 deepArr: '['.repeat(MIB / 2) + ']'.repeat(MIB / 2),
 deepObj: `${'{"a":'.repeat(MIB / 6)}1${'}'.repeat(MIB / 6)}`,
 names: filled(index => `"k${index}":1`, '{', '}'),
 numnames: filled(index => `"${index}":1`, '{', '}'),
 objects: filled(() => '{"a":1}'),
 lists: filled(() => '[[[]]]'), empty: filled(() => '{}'), 
 numbers: filled(() => '1'),
}
const best = (f: () => unknown) => { let b = 1e9; for (let i = 0; i < 15; i++) { const c = process.cpuUsage(); const s = performance.now(); f(); const t = performance.now() - s; b = Math.min(b, t) } return b.toFixed(1) }
for (const [n, text] of Object.entries(T)) {
  const buf = Buffer.from(text)
  console.log(n.padEnd(10), 'JSON.parse', best(() => JSON.parse(text)), 'toString', best(() => buf.toString()), 'parseJson', best(() => parseJson(buf, 64)), 'stringify', n.startsWith('deep') ? '' : best(() => { JSON.stringify(JSON.parse(text)) }))
}
