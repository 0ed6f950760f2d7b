// The names of everything that `contract` checks, as `skip` takes them.

const LAWS = [
  ...['echo', 'read back', 'patch', 'PUT replaces', 'PUT twice', 'filter', 'others', 'parents'],
  ...['neighbours', 'a refusal changes nothing'],
  ...['list', 'listed', 'Location', 'tags', 'bytes', 'head', 'redirects', 'creation by PUT'],
  ...[
    'all sorts',
    'two at once',
    'all pages together are the list',
    'a cursor belongs to its list',
  ],
  ...['what is created can be read', 'what is deleted is gone', 'a stale If-Match changes nothing'],
  'the tag changes with the representation, and only then',
  ...['a repeated key changes nothing', 'of two requests with one key one runs'],
  ...['a key is for one request', 'what is no key is refused', 'deprecation', 'rate limit'],
  ...['limits count every request', 'cache', 'a 304 is cached as its 200'],
]

export const CHECKS: readonly string[] = [
  ...['status', 'server error', 'no response', 'content type', 'body', 'undeclared field', 'item'],
  ...['header field', 'undocumented header field', 'internals', 'echo', 'HEAD', 'methods'],
  ...['valid data refused', 'undeclared refusal', 'wrong data accepted', 'conditions'],
  ...['credentials', 'lesser credentials', 'nothing found', 'created', 'no value', 'no success'],
  ...['no verdict', 'coverage'],
  ...LAWS.map(name => `law: ${name}`),
]
