import * as t from 'io-ts'
import type Koa from 'koa'
import { Api, Blueprint, files, operation, Upload } from 'koa-smorest'

/** Adds an operation to an app that takes an upload and then fails: `POST /faults/upload`. */
export function addFaults(app: Koa): void {
  const faults = new Blueprint('faults', { urlPrefix: '/faults' })
  faults.post('/upload', operation(files(t.type({ picture: Upload }))), () =>
    Promise.reject(new Error('on purpose')),
  )
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(faults)
}
