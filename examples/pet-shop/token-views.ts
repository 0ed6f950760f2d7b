import * as t from 'io-ts'
import {
  Blueprint,
  type Context,
  describe,
  type InputOf,
  int,
  json,
  MethodView,
  open,
  operation,
  reply,
  response,
  struct,
  withDefault,
} from 'koa-smorest'
import { type Access, TOKEN_LIFE } from './access.js'
import { Line } from './model.js'

const Login = struct(
  {
    name: describe(Line, { example: 'Maeve' }),
    isStaff: withDefault(
      describe(t.boolean, { description: 'One of the staff, or a customer' }),
      true,
    ),
  },
  'Login',
)
type Login = InputOf<typeof Login>

const Token = struct(
  {
    token: describe(t.string, { description: 'Send it as `Authorization: Bearer …`' }),
    expiresIn: describe(int, { description: 'In seconds', example: TOKEN_LIFE }),
  },
  'Token',
)

const CACHE_CONTROL = {
  description: 'A token is nothing to keep',
  required: true,
  schema: { type: 'string' },
} as const

/**
 * `/tokens/`: a token for anybody who asks, in place of the identity provider that a real shop
 * would have. Only for development: whoever can reach it is staff.
 */
export function tokenBlueprint(access: Access) {
  class Tokens extends MethodView {
    static post = operation(
      'Get a token',
      open(),
      json(Login),
      response(Token, { headers: { 'Cache-Control': CACHE_CONTROL } }),
    )
    async post(_: Context, caller: Login) {
      return reply({ token: await access.sign(caller), expiresIn: TOKEN_LIFE }, 200, {
        'Cache-Control': 'no-store',
      })
    }
  }
  return new Blueprint('tokens', {
    urlPrefix: '/tokens',
    description: 'Tokens, in development only',
  }).route('/', Tokens)
}
