/** A page of HTML; `head` and `body` are HTML, the title is any string. */
export function htmlPage(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
${body}
</body>
</html>
`
}

/**
 * The sources that a page may load from and connect to besides its own origin, as in a
 * Content-Security-Policy.
 */
interface Admitted {
  readonly scripts: string
  readonly styles: string
  /** URLs whose origins may be asked. */
  readonly connections: readonly string[]
}

/**
 * The header fields of a page, which admit this and nothing else. Pictures that Swagger UI has
 * received are `blob:` URLs.
 */
export function pageHeaders({ scripts, styles, connections }: Admitted): {
  readonly [name: string]: string
} {
  const own = scripts === "'self'" ? scripts : `'self' ${scripts}`
  const origins = new Set([
    "'self'",
    ...connections.flatMap(url => /^https?:\/\/[\w.:-]+(?=[/?]|$)/.exec(url) ?? []),
  ])
  const policy = [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    'font-src data:',
    `connect-src ${[...origins].join(' ')}`,
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  }
}

/** Escapes a string for HTML, between tags and in quoted attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
