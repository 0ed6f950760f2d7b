// Serves the books: `npx tsx examples/standard/main.ts`.
import { booksApp } from './app.js'

const port = Number(process.env['PORT'] ?? 3000)
booksApp().listen(port, () => console.log(`http://localhost:${port}/books/`))
