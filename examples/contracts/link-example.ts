// Users, repositories and pull requests, whose responses link to each other in the document.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  Blueprint,
  doc,
  int,
  type OutputOf,
  operation,
  optional,
  query,
  response,
  struct,
} from 'koa-smorest'

const User = struct({ username: optional(t.string), uuid: optional(t.string) }, 'user')
const Repository = struct({ slug: optional(t.string), owner: optional(User) }, 'repository')
const PullRequest = struct(
  {
    id: optional(int),
    title: optional(t.string),
    repository: optional(Repository),
    author: optional(User),
  },
  'pullrequest',
)
const State = t.keyof({ open: null, merged: null, declined: null })

const named = (operationId: string) => doc({ operationId })

/** Documents the link of the response. */
function linked(link: string) {
  const name = `${link[0]?.toLowerCase()}${link.slice(1)}`
  return doc({ responses: { 200: { links: { [name]: { $ref: `#/components/links/${link}` } } } } })
}

/** Serves these pull requests, and what they refer to. */
export function linkExample(all: readonly OutputOf<typeof PullRequest>[]) {
  const repositories = all.flatMap(({ repository }) => repository ?? [])
  const of = (username: string, slug: string) =>
    all.filter(
      ({ repository }) => repository?.slug === slug && repository.owner?.username === username,
    )
  const one = (username: string, slug: string, pid: string) =>
    of(username, slug).find(({ id }) => String(id) === pid) ?? abort(404)

  const git = new Blueprint('git', { urlPrefix: '/2.0' })
    .get(
      '/users/:username',
      operation(named('getUserByName'), linked('UserRepositories'), response(User)),
      (_ctx, { username }) =>
        repositories.find(({ owner }) => owner?.username === username)?.owner ?? abort(404),
    )
    .get(
      '/repositories/:username',
      operation(
        named('getRepositoriesByOwner'),
        linked('UserRepository'),
        response(t.array(Repository)),
      ),
      (_ctx, { username }) => repositories.filter(({ owner }) => owner?.username === username),
    )
    .get(
      '/repositories/:username/:slug',
      operation(named('getRepository'), linked('RepositoryPullRequests'), response(Repository)),
      (_ctx, { username, slug }) => of(username, slug)[0]?.repository ?? abort(404),
    )
    .get(
      '/repositories/:username/:slug/pullrequests',
      operation(
        named('getPullRequestsByRepository'),
        query(struct({ state: optional(State) })),
        response(t.array(PullRequest)),
      ),
      // the published pull request has no state by which it could be chosen
      (_ctx, _query, { username, slug }) => of(username, slug),
    )
    .get(
      '/repositories/:username/:slug/pullrequests/:pid',
      operation(named('getPullRequestsById'), linked('PullRequestMerge'), response(PullRequest)),
      (_ctx, { username, slug, pid }) => one(username, slug, pid),
    )
    .post(
      '/repositories/:username/:slug/pullrequests/:pid/merge',
      operation(named('mergePullRequest'), response({ code: 204 })),
      (_ctx, { username, slug, pid }) => {
        one(username, slug, pid)
      },
    )

  const api = new Api(new Koa(), { OPENAPI_VERSION: '3.0.3', OPENAPI_URL_PREFIX: '/' })
  const owner = { username: '$response.body#/owner/username', slug: '$response.body#/slug' }
  api.spec.components
    .link('UserRepositories', {
      operationId: 'getRepositoriesByOwner',
      parameters: { username: '$response.body#/username' },
    })
    .link('UserRepository', { operationId: 'getRepository', parameters: owner })
    .link('RepositoryPullRequests', {
      operationId: 'getPullRequestsByRepository',
      parameters: owner,
    })
    .link('PullRequestMerge', {
      operationId: 'mergePullRequest',
      parameters: {
        username: '$response.body#/author/username',
        slug: '$response.body#/repository/slug',
        pid: '$response.body#/id',
      },
    })
  return api.registerBlueprint(git)
}
