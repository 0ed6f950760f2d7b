export { fetchOf, type Served } from './fetch-of.js'
