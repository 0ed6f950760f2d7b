/**
 * Draws docs/architecture.svg again: `npm run architecture`, after a folder has come to import
 * another.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawArchitecture } from '../spec/architecture/picture.js'
import { readSources, root } from '../spec/architecture/source.js'

writeFileSync(join(root, 'docs/architecture.svg'), drawArchitecture(readSources()))
