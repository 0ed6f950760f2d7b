import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  apiKey,
  Blueprint,
  type Context,
  etag,
  type InputOf,
  int,
  isoDateTime,
  json,
  MethodView,
  maxItems,
  maxLength,
  minLength,
  nullable,
  type OutputOf,
  operation,
  optional,
  Page,
  paginate,
  partial,
  pattern,
  query,
  readOnly,
  reply,
  response,
  secure,
  struct,
  withDefault,
} from 'koa-smorest'
import type { ContractOptions } from 'koa-smorest/testing'

// Posts by authors, under slugs that a PUT may choose, and comments below them. Reading is open.

export const faults = [
  'PUT creates under the slug of the title',
  'search minds capitals',
  'search reads titles only',
  'tag filter reads the first tag only',
  'author filter ignored',
  'drafts: false is not asked for',
  'comments of all posts',
  'a comment is read under any post',
  'a comment is deleted under any post',
  'comments of others may be changed',
  'deleted posts are still listed',
  'deleted posts are still read',
  'a second post of one title takes the first one over',
  'PUT keeps drafts as they were',
  'PUT appends tags',
  'tags come back sorted',
  'bodies are trimmed',
  'titles are escaped',
  'text is normalised',
  'the last page is dropped',
  'posts of one moment in any order',
  'tags of a second are one',
  'a comment leaves the tag of its post',
  'views are counted under one tag',
  'Location of the list',
  'posts of others may be deleted',
  'the list is cached for one second page',
  'HEAD says less',
  'a comment without a body keeps the old one',
  'PATCH of a comment moves its time',
  'new comments take the name of the last author',
  'long titles are cut',
] as const

type Author = { name: string; key: string }
const authors: readonly Author[] = [
  { name: 'ann', key: 'sesame-of-ann' },
  { name: 'bob', key: 'sesame-of-bob' },
]

const Tag = pattern(maxLength(t.string, 20), /^[a-z0-9]+$/)
const Post = struct(
  {
    slug: readOnly(t.string),
    title: maxLength(minLength(t.string, 1), 120),
    body: maxLength(t.string, 5000),
    tags: withDefault(maxItems(t.array(Tag), 8), () => []),
    draft: withDefault(t.boolean, false),
    author: readOnly(t.string),
    comments: readOnly(int),
    created: readOnly(isoDateTime.asDate),
    edited: readOnly(nullable(isoDateTime.asDate)),
  },
  'Post',
)
type Post = OutputOf<typeof Post>
type NewPost = InputOf<typeof Post>
type Stored = Omit<Post, 'comments'> & { revision: number; deleted?: boolean }

const Comment = struct(
  {
    id: readOnly(int),
    author: readOnly(t.string),
    text: maxLength(minLength(t.string, 1), 1000),
    rating: optional(nullable(int)),
    at: readOnly(isoDateTime.asDate),
  },
  'Comment',
)
type Comment = OutputOf<typeof Comment>
type NewComment = InputOf<typeof Comment>
const CommentChanges = partial(Comment, 'CommentChanges')
type CommentChanges = InputOf<typeof CommentChanges>

const PostFilter = struct({
  q: optional(maxLength(t.string, 50)),
  tag: optional(Tag),
  author: optional(maxLength(t.string, 30)),
  draft: optional(t.boolean),
})

const slugOf = (title: string) =>
  title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'post'

export function blog(is: (fault: (typeof faults)[number]) => boolean) {
  const posts = new Map<string, Stored>()
  const comments = new Map<number, Comment & { slug: string }>()
  let clock = 0
  let lastComment = 0
  let lastAuthor = 'ann'
  const cached = new Map<string, Post[]>()
  const now = () => new Date(Date.UTC(2026, 4, 1) + ++clock * 1000)

  const reset = () => {
    posts.clear()
    comments.clear()
    cached.clear()
    clock = 0
    lastComment = 0
    lastAuthor = 'ann'
    for (const [title, author, tags, draft] of [
      ['Hello World', 'ann', ['news'], false],
      ['Koa in winter', 'bob', ['trees', 'koa'], false],
      ['What we learnt', 'ann', ['koa', 'news'], true],
      ['Ångström', 'bob', [], false],
    ] as const)
      posts.set(slugOf(title), {
        slug: slugOf(title),
        title,
        body: `About ${title}.`,
        tags: [...tags],
        draft,
        author,
        created: now(),
        edited: null,
        revision: 1,
      })
    for (const [slug, author, text] of [
      ['hello-world', 'bob', 'First!'],
      ['hello-world', 'ann', 'Thanks'],
      ['koa-in-winter', 'ann', 'Nice'],
    ] as const)
      comments.set(++lastComment, { id: lastComment, slug, author, text, at: now() })
  }
  reset()

  const key = apiKey('key', {
    in: 'header',
    name: 'X-Key',
    principal: text => authors.find(author => author.key === text),
    identify: author => author.name,
  })

  const commentsOf = (slug: string) => [...comments.values()].filter(each => each.slug === slug)
  const show = ({ revision, ...post }: Stored): Post & { revision: number } => {
    const count = commentsOf(post.slug).length
    return {
      ...post,
      comments: is('views are counted under one tag') ? ++views : count,
      revision: revision + (is('a comment leaves the tag of its post') ? 0 : count * 1000),
    }
  }
  let views = 0
  const find = (slug: string) => {
    const post = posts.get(slug)
    return post && (!post.deleted || is('deleted posts are still read')) ? post : undefined
  }
  const clean = (post: NewPost): NewPost => {
    const next = { ...post }
    if (is('bodies are trimmed')) next.body = next.body.trim()
    if (is('titles are escaped'))
      next.title = next.title.replace(/[<>&]/g, sign => `&#${sign.charCodeAt(0)};`)
    if (is('text is normalised')) next.body = next.body.normalize('NFC')
    if (is('tags come back sorted')) next.tags = next.tags.toSorted()
    if (is('long titles are cut')) next.title = next.title.slice(0, 100)
    return next
  }

  class Posts extends MethodView {
    static get = operation(
      'List the posts, the newest first',
      query(PostFilter),
      paginate(Page, { pageSize: 5 }),
      response(t.array(Post)),
    )
    get(_ctx: Context, { q, tag, author, draft }: InputOf<typeof PostFilter>): Post[] {
      const says = (text: string) =>
        is('search minds capitals')
          ? text.includes(q ?? '')
          : text.toLowerCase().includes((q ?? '').toLowerCase())
      const rows = [...posts.values()]
        .filter(
          post =>
            (!post.deleted || is('deleted posts are still listed')) &&
            (!q || says(post.title) || (says(post.body) && !is('search reads titles only'))) &&
            (!tag ||
              (is('tag filter reads the first tag only')
                ? post.tags[0] === tag
                : post.tags.includes(tag))) &&
            (!author || post.author === author || is('author filter ignored')) &&
            (draft === undefined ||
              post.draft === draft ||
              (!draft && is('drafts: false is not asked for'))),
        )
        .sort((a, b) => b.created.getTime() - a.created.getTime() || (a.slug < b.slug ? -1 : 1))
        .map(show)
      if (is('posts of one moment in any order')) rows.sort(() => Math.random() - 0.5)
      if (is('the last page is dropped') && rows.length % 5 > 0 && rows.length > 5)
        rows.length -= rows.length % 5
      if (is('the list is cached for one second page')) {
        const search = `${q}${tag}${author}`
        if (!cached.has(search)) cached.set(search, rows)
        return cached.get(search) as Post[]
      }
      return rows
    }

    static post = operation(
      'Write a post; its slug comes from its title',
      secure(key),
      json(Post),
      response(Post, { code: 201 }),
      altResponse(409, { description: 'There is a post of this title.' }),
    )
    post(_ctx: Context, post: NewPost, { principal }: { principal: Author }) {
      const slug = slugOf(post.title)
      if (find(slug) && !is('a second post of one title takes the first one over')) abort(409)
      const added: Stored = {
        ...clean(post),
        slug,
        author: principal.name,
        created: now(),
        edited: null,
        revision: 1,
      }
      for (const { id } of commentsOf(slug)) comments.delete(id)
      posts.set(slug, added)
      const Location = is('Location of the list') ? '/posts' : `/posts/${slug}`
      return reply(show(added), 201, { Location })
    }
  }

  const load = (_ctx: Context, { slug }: { slug: string }) => {
    const post = find(slug)
    return post && show(post)
  }
  type Shown = Post & { revision: number }
  const tag = (post: Post) =>
    is('tags of a second are one')
      ? `"${Math.floor((post.edited ?? post.created).getTime() / 60_000)}"`
      : `"${(post as Shown).revision}-${post.created.getTime()}"`

  class PostBySlug extends MethodView {
    static shared = operation(etag({ load, tag }))

    static get = operation('Read a post', response(Post))
    get(_ctx: Context, { current }: { current: Post }) {
      return current
    }

    static head = operation('Ask whether it changed', response(Post))
    head(ctx: Context, { current }: { current: Post }) {
      if (is('HEAD says less')) ctx.set('Content-Language', 'en')
      return current
    }

    static delete = operation(
      'Delete a post',
      secure(key),
      response({ code: 204 }),
      altResponse(403),
    )
    delete(_ctx: Context, { slug, principal }: { slug: string; principal: Author }) {
      const post = posts.get(slug) as Stored
      if (post.author !== principal.name && !is('posts of others may be deleted')) abort(403)
      post.deleted = true
      for (const { id } of commentsOf(slug)) comments.delete(id)
    }
  }

  const blueprint = new Blueprint('blog').route('/posts', Posts).route('/posts/:slug', PostBySlug)
  blueprint.put(
    '/posts/:slug<string(maxlength=60)>',
    operation(
      'Write under a slug of your own',
      secure(key),
      etag({ load, tag, create: true }),
      json(Post),
      response(Post),
      altResponse(201, Post),
      altResponse(403),
    ),
    (_ctx, post, { slug, current, principal }) => {
      const old = find(slug)
      if (old && old.author !== principal.name) abort(403)
      const place =
        !old && is('PUT creates under the slug of the title') ? slugOf(post.title) : slug
      const written = clean(post)
      const next: Stored = {
        ...written,
        tags: is('PUT appends tags')
          ? [...(old?.tags ?? []), ...written.tags].slice(0, 8)
          : written.tags,
        draft: old && is('PUT keeps drafts as they were') ? old.draft : written.draft,
        slug: place,
        author: principal.name,
        created: old?.created ?? now(),
        edited: old ? now() : null,
        revision: (old?.revision ?? 0) + 1,
      }
      posts.set(place, next)
      return current ? show(next) : reply(show(next), 201)
    },
  )

  class Comments extends MethodView {
    static get = operation(
      'List the comments',
      paginate(Page),
      response(t.array(Comment)),
      altResponse(404),
    )
    get(_ctx: Context, { slug }: { slug: string }): Comment[] {
      if (!find(slug)) abort(404)
      return is('comments of all posts') ? [...comments.values()] : commentsOf(slug)
    }

    static post = operation(
      'Comment on a post',
      secure(key),
      json(Comment),
      response(Comment, { code: 201 }),
      altResponse(404),
    )
    post(
      _ctx: Context,
      comment: NewComment,
      { slug, principal }: { slug: string; principal: Author },
    ) {
      if (!find(slug)) abort(404)
      const author = is('new comments take the name of the last author')
        ? lastAuthor
        : principal.name
      lastAuthor = principal.name
      const added = { ...comment, id: ++lastComment, slug, author, at: now() }
      comments.set(added.id, added)
      return reply(added, 201, { Location: `/posts/${slug}/comments/${added.id}` })
    }
  }

  class CommentById extends MethodView {
    static shared = operation(altResponse(404))

    comment(slug: string, id: number, anywhere = false) {
      const comment = comments.get(id)
      return comment && (comment.slug === slug || anywhere) ? comment : abort(404)
    }

    static get = operation('Read a comment', response(Comment))
    get(_ctx: Context, { slug, id }: { slug: string; id: number }) {
      return this.comment(slug, id, is('a comment is read under any post'))
    }

    static patch = operation(
      'Change a comment of yours',
      secure(key),
      json(CommentChanges),
      response(Comment),
      altResponse(403),
    )
    patch(
      _ctx: Context,
      changes: CommentChanges,
      { slug, id, principal }: { slug: string; id: number; principal: Author },
    ) {
      const comment = this.comment(slug, id)
      if (comment.author !== principal.name && !is('comments of others may be changed')) abort(403)
      const next = { ...comment, ...changes }
      if (is('a comment without a body keeps the old one'))
        next.rating = changes.rating || comment.rating || null
      if (is('PATCH of a comment moves its time')) next.at = now()
      comments.set(id, next)
      return next
    }

    static delete = operation(
      'Delete a comment of yours',
      secure(key),
      response({ code: 204 }),
      altResponse(403),
    )
    delete(
      _ctx: Context,
      { slug, id, principal }: { slug: string; id: number; principal: Author },
    ) {
      const comment = this.comment(slug, id, is('a comment is deleted under any post'))
      if (comment.author !== principal.name) abort(403)
      comments.delete(id)
    }
  }
  blueprint
    .route('/posts/:slug/comments', Comments)
    .route('/posts/:slug/comments/:id<int>', CommentById)

  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
  const options: ContractOptions = {
    reset,
    as: { key: ['sesame-of-ann', 'sesame-of-bob'] },
    unreachable: {
      'HEAD /posts/{slug} 304': 'those of GET are tried',
      'HEAD /posts/{slug} 412': 'those of GET are tried',
    },
  }
  return { app, api, options }
}
