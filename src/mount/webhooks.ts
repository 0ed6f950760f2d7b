import type { PathItemObject } from 'openapi3-ts/oas32'
import type { DeclaredWebhook } from '../features/webhook/webhook.js'
import type { Spec } from '../openapi/openapi-document.js'
import { SchemaError } from '../openapi/schema/schemas.js'
import { RegistrationError } from './registration.js'

/** Adds a webhook to the document of an Api; throws a RegistrationError that lists every fault. */
export function addWebhook(spec: Spec, webhook: DeclaredWebhook): void {
  const faults = [...webhook.faults]
  if (spec.hasWebhook(webhook.name)) faults.push('another webhook of this Api has its name')
  let item: PathItemObject = {}
  try {
    item = webhook.describe(spec.schemas)
  } catch (error) {
    faults.push(...(error instanceof SchemaError ? error.problems : [(error as Error).message]))
  }
  if (faults.length > 0) throw new RegistrationError(`Webhook "${webhook.name}"`, faults)
  spec.addWebhook(webhook.name, item)
}
