import type Koa from 'koa'
import type { Api } from 'koa-smorest'
import type { ContractOptions } from 'koa-smorest/testing'
import { blog, faults as ofBlog } from './blog.js'
import { bookings, faults as ofBookings } from './bookings.js'
import { drive, faults as ofDrive } from './drive.js'
import { faults as ofSubscriptions, subscriptions } from './subscriptions.js'
import { createTasks, plan } from './tasks.js'
import { faults as ofWarehouse, warehouse } from './warehouse.js'

/** An application that is sound, or has one of its faults. */
export interface Planted {
  readonly faults: readonly string[]
  create(fault?: string): { app: Koa; api: Api; options: ContractOptions }
}

function planted<Fault extends string>(
  faults: readonly Fault[],
  create: (is: (fault: Fault) => boolean) => { app: Koa; api: Api; options: ContractOptions },
): Planted {
  return { faults, create: fault => create(name => name === fault) }
}

/** `tasks` was written with the laws in hand; the others by somebody who had not read them. */
export const applications: Readonly<Record<string, Planted>> = {
  tasks: { faults: Object.keys(plan), create: createTasks },
  bookings: planted(ofBookings, bookings),
  blog: planted(ofBlog, blog),
  warehouse: planted(ofWarehouse, warehouse),
  drive: planted(ofDrive, drive),
  subscriptions: planted(ofSubscriptions, subscriptions),
}
