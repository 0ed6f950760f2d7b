// What the page of ReDoc brings besides ReDoc itself.

/** The script that starts ReDoc, in the colours that the system prefers: it reads them once, so a change loads the page again. */
export const REDOC_INITIALIZER = `const { document: url } = document.currentScript.dataset
const dark = matchMedia('(prefers-color-scheme: dark)')
dark.addEventListener('change', () => location.reload())
const theme = {
  colors: {
    primary: { main: '#8ab4f8' },
    success: { main: '#7ccb86' },
    warning: { main: '#f0b352' },
    error: { main: '#f28b82' },
    gray: { 50: '#20262d', 100: '#262d35' },
    text: { primary: '#dfe3e8', secondary: '#a9b3be' },
    border: { dark: 'rgba(255, 255, 255, 0.14)', light: '#2a323a' },
    responses: { redirect: { color: '#f0b352' }, info: { color: '#7cc4e6' } },
  },
  schema: { linesColor: '#4c5a69', nestedBackground: '#1d2329' },
  typography: { code: { color: '#f2a7a0', backgroundColor: 'rgba(255, 255, 255, 0.08)' } },
  sidebar: {
    backgroundColor: '#14181c',
    textColor: '#c8d0d8',
    activeTextColor: '#8ab4f8',
    groupItems: { activeBackgroundColor: '#232b33' },
    level1Items: { activeBackgroundColor: '#1d242b' },
  },
  rightPanel: { backgroundColor: '#12161a', servers: { overlay: { backgroundColor: '#20262d', textColor: '#dfe3e8' }, url: { backgroundColor: '#2a323a' } } },
  codeBlock: { backgroundColor: '#0c0f12' },
  fab: { backgroundColor: '#2a323a', color: '#8ab4f8' },
}
Redoc.init(url, dark.matches ? { theme } : {}, document.getElementById('redoc'))
`

/** What the theme does not reach: ReDoc leaves it to the page, or has a colour of its own for it. */
export const REDOC_STYLE = `body { margin: 0; background: #fff }
@media (prefers-color-scheme: dark) {
  body { background: #191e23; color: #dfe3e8 }
  redoc h5, redoc h5 span { color: #a9b3be !important }
  redoc td, redoc h5 { border-color: #37424c !important }
  redoc .react-tabs__tab--selected { background: #2f3942 !important }
}`
