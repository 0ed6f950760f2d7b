// A program that knows the library by its declarations alone.
import { Blueprint, int, type OutputOf } from 'koa-smorest'
import { addPet, GalleryForm, Pet, PetChanges, picture, search } from './codecs.js'
import {
  create,
  envelopeOf,
  listOf,
  listView,
  numbers,
  one,
  searchOf,
  some,
  versioned,
} from './helpers.js'

const pet: OutputOf<typeof Pet> = { id: 1, name: 'Rex', kind: 'dog', seen: null }

export const pets = new Blueprint('pets')
  .get('/one', one(Pet), () => pet)
  // @ts-expect-error no pet
  .get('/wrong', one(Pet), () => 1)
  .get('/some', some(Pet), () => ({ item: pet }))
  .get('/list', listOf(Pet), () => [pet])
  .get('/search', searchOf(PetChanges, Pet), (_ctx, { name, kind }) => [
    { ...pet, name: name ?? '', kind: kind ?? 'cat' },
  ])
  .post('/create', create(Pet, Pet), (_ctx, { name, kind, seen }) => ({ id: 2, name, kind, seen }))
  .get('/envelope', envelopeOf(Pet), () => ({ data: pet, size: 1 }))
  // @ts-expect-error what is in the envelope is not a pet
  .get('/wrong-envelope', envelopeOf(Pet), () => ({ data: 1, size: 1 }))
  .get(
    '/versioned/:id<int>',
    versioned(async version => ({ version })),
    (_ctx, { id, current }) => [id, current.version],
  )
  .post('/pets', addPet, (_ctx, { name, kind, seen }) => ({ id: 3, name, kind, seen }))
  .get('/find', search, (_ctx, _changes, headers, { theme }) => ({
    pets: [pet],
    sizes: [headers['X-Shop'].length],
    names: { [theme ?? '']: pet },
  }))
  .route(
    '/view',
    listView(int, () => [1]),
    { endpoint: 'View' },
  )

export const uploads = { GalleryForm, picture, numbers }
