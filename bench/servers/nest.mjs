// NestJS on Fastify, with class-validator. Decorators are applied by hand, as the compiler would:
// this file runs as it stands.
import 'reflect-metadata'
import { createHash, randomUUID } from 'node:crypto'
import etag from '@fastify/etag'
import {
  Body,
  Controller,
  Get,
  Headers,
  HttpException,
  Module,
  Param,
  Post,
  Put,
  Query,
  Res,
  ValidationPipe,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { Type } from 'class-transformer'
import * as v from 'class-validator'
import { hasUpstream, KINDS, logger, pageHeader, port, problem, resources, store } from './shop.mjs'

/** `@A() @B() name: Type` of a class. */
function decorateField(Class, name, ...decorators) {
  for (const decorator of decorators) decorator(Class.prototype, name)
}

/**
 * `@Get() name(@Query() filter: Filter)` of a class: parameters are pairs of decorator and type.
 */
function decorateMethod(Class, name, decorator, ...parameters) {
  parameters.forEach(([decorate], index) => {
    decorate(Class.prototype, name, index)
  })
  Reflect.defineMetadata(
    'design:paramtypes',
    parameters.map(([, type]) => type),
    Class.prototype,
    name,
  )
  decorator(Class.prototype, name, Object.getOwnPropertyDescriptor(Class.prototype, name))
}

const refusal = (code, errors) => new HttpException(problem(code, errors), code)
const validated = location =>
  new ValidationPipe({
    transform: true,
    exceptionFactory: faults => {
      const errors = faults.map(({ property, constraints = {} }) => [
        property,
        Object.values(constraints),
      ])
      return refusal(422, { [location]: Object.fromEntries(errors) })
    },
  })
const tagOf = pet => `"${createHash('sha1').update(JSON.stringify(pet)).digest('base64')}"`

function newPetClass() {
  class Owner {}
  decorateField(Owner, 'name', v.IsString())
  decorateField(Owner, 'phone', v.IsString())
  class NewPet {}
  decorateField(NewPet, 'name', v.IsString(), v.Length(1, 100))
  decorateField(NewPet, 'kind', v.IsIn(KINDS))
  decorateField(NewPet, 'age', v.IsInt(), v.Min(0), v.Max(100))
  decorateField(NewPet, 'weight', v.IsNumber(), v.Min(0))
  decorateField(NewPet, 'vaccinated', v.IsBoolean())
  decorateField(NewPet, 'born', v.IsISO8601({ strict: true }))
  decorateField(NewPet, 'tags', v.IsArray(), v.ArrayMaxSize(10), v.IsString({ each: true }))
  decorateField(
    NewPet,
    'owner',
    v.ValidateNested(),
    Type(() => Owner),
  )
  return NewPet
}

function filterClass() {
  class Filter {
    page = 1
    page_size = 10
  }
  decorateField(Filter, 'kind', v.IsOptional(), v.IsIn(KINDS))
  decorateField(
    Filter,
    'page',
    Type(() => Number),
    v.IsInt(),
    v.Min(1),
  )
  decorateField(
    Filter,
    'page_size',
    Type(() => Number),
    v.IsInt(),
    v.Min(1),
    v.Max(100),
  )
  return Filter
}

function controllerOf(resource) {
  class Pets {
    list(filter, reply) {
      const found = store.find(filter)
      const first = (filter.page - 1) * filter.page_size
      reply.header('X-Pagination', pageHeader(found.length, filter.page, filter.page_size))
      return found.slice(first, first + filter.page_size)
    }

    add(pet) {
      return store.add(pet)
    }

    find(petId) {
      const pet = store.get(petId)
      if (!pet) throw refusal(404)
      return pet
    }

    replace(petId, ifMatch, pet) {
      if (!ifMatch) throw refusal(428)
      const current = this.find(petId)
      if (ifMatch !== '*' && ifMatch !== tagOf(current)) throw refusal(412)
      return store.replace(petId, pet)
    }
  }
  const NewPet = newPetClass()
  const id = [Param('petId'), String]
  decorateMethod(
    Pets,
    'list',
    Get(),
    [Query(validated('query')), filterClass()],
    [Res({ passthrough: true }), Object],
  )
  decorateMethod(Pets, 'add', Post(), [Body(validated('json')), NewPet])
  decorateMethod(Pets, 'find', Get(':petId'), id)
  decorateMethod(
    Pets,
    'replace',
    Put(':petId'),
    id,
    [Headers('if-match'), String],
    [Body(validated('json')), NewPet],
  )
  Controller(resource)(Pets)
  return Pets
}

function addUpstream(app) {
  app.enableCors({ origin: '*' })
  const fastify = app.getHttpAdapter().getInstance()
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    done()
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    logger.info({
      id: request.id,
      method: request.method,
      url: request.url,
      status: reply.statusCode,
      time: reply.elapsedTime,
    })
    done()
  })
}

class Shop {}
Module({ controllers: resources.map(controllerOf) })(Shop)
const adapter = new FastifyAdapter({
  requestIdHeader: 'x-request-id',
  ...(hasUpstream && { genReqId: () => randomUUID() }),
})
const app = await NestFactory.create(Shop, adapter, { logger: ['error'] })
if (hasUpstream) addUpstream(app)
await app.register(etag)
await app.listen(port, '127.0.0.1')
