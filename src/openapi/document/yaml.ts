import { stringify } from 'yaml'

/** A document as YAML. Readers of YAML 1.1 take `2026-11-21` for a date and `off` for false, so such texts are in quotes. */
export function toYaml(document: unknown): string {
  return stringify(document, { aliasDuplicateObjects: false, compat: 'yaml-1.1' })
}
