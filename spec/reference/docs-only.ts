import * as t from 'io-ts'
import type { DefaultContext, DefaultState } from 'koa'
import { Blueprint, doc, json, MethodView, operation, response } from 'koa-smorest'
import { Palette, Pet } from './codecs.js'

export const docsOnlyBlueprint = new Blueprint('docs-only', {
  urlPrefix: '/docs-only',
  description: 'Documentation corner cases',
})
  .post(
    '/palette',
    operation('One line', json(Palette), response(Palette)),
    (_, palette) => palette,
  )
  .get(
    '/multi-summary',
    operation(
      `Summary line one
      summary line two

      Description line one.

      Description line two.

      --- still cut
      Not documented`,
      response(),
    ),
    () => undefined,
  )
  .get(
    '/shared/:shared_id',
    operation(
      doc({ tags: ['overridden'], operationId: 'shared' }),
      response(t.array(Pet), { description: 'Many pets' }),
    ),
    () => [],
    {
      parameters: [
        { name: 'lang', in: 'query', schema: { type: 'string' } },
        { name: 'shared_id', in: 'path', description: 'Documented by hand' },
      ],
    },
  )

class DocsCutBlueprint<Prefix extends string> extends Blueprint<
  DefaultState,
  DefaultContext,
  Prefix
> {
  static override DOCSTRING_INFO_DELIMITER = '~~~'
  static override HTTP_METHODS = ['DELETE', 'GET', 'POST']
}

class Cut extends MethodView {
  static post = operation('Posted\n~~~\nhidden', response())
  post() {
    return undefined
  }

  static get = operation('Got\n\n---\nkept', response())
  get() {
    return undefined
  }

  static delete = operation(response({ code: 204 }))
  delete() {}
}

export const docsCutBlueprint = new DocsCutBlueprint('docs-cut', {
  urlPrefix: '/docs-cut',
  description: '',
}).route('/', Cut)

class DocsWholeBlueprint<Prefix extends string> extends Blueprint<
  DefaultState,
  DefaultContext,
  Prefix
> {
  static override DOCSTRING_INFO_DELIMITER = null
}

export const docsWholeBlueprint = new DocsWholeBlueprint('docs-whole', {
  urlPrefix: '/docs-whole',
  description: '',
}).get('/', operation('Whole\n\nPart one\n---\nPart two', response()), () => undefined)
