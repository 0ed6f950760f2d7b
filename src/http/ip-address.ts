// Tells the addresses of the public internet from those of machines and networks of one's own, by
// the registries of RFC 6890; reads the groups of IPv6.
import { BlockList, isIPv4 } from 'node:net'

const CLOSED_NETWORKS = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** Created when it is first needed: few applications send webhooks. */
let closed: BlockList | undefined

function closedNetworks(): BlockList {
  const list = new BlockList()
  for (const network of CLOSED_NETWORKS) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits))
  }
  return list
}

/**
 * Returns whether an IP address is one of the public internet: not private, loopback, link-local,
 * shared (RFC 6598), unspecified, multicast or reserved. An IPv6 address that carries an IPv4
 * address, such as `::ffff:127.0.0.1`, is judged by that one.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) {
    closed ??= closedNetworks()
    return !closed.check(address)
  }
  const groups = groupsOf(address)
  const inside = carriedBy(groups)
  if (inside !== undefined) return isPublicAddress(inside)
  const [first = 0, second = 0] = groups
  // of the unicast addresses 2000::/3 all but protocols (2001::/23) and documentation
  return (
    first >> 13 === 1 &&
    !(first === 0x2001 && (second < 0x200 || second === 0xdb8)) &&
    !(first === 0x3fff && second < 0x1000)
  )
}

/**
 * Returns the IPv4 address that is mapped (RFC 4291), translated (RFC 6052) or tunnelled (3056).
 */
function carriedBy(groups: readonly number[]): string | undefined {
  const mapped = mappedBy(groups)
  if (mapped !== undefined) return mapped
  if (groups.slice(0, 6).join() === `${0x64},${0xff9b},0,0,0,0`) return dotted(groups[6], groups[7])
  return groups[0] === 0x2002 ? dotted(groups[1], groups[2]) : undefined
}

/** Returns the IPv4 address that `::ffff:c000:207` is (RFC 4291, section 2.5.5.2). */
export function mappedBy(groups: readonly number[]): string | undefined {
  return groups.slice(0, 6).join() === '0,0,0,0,0,65535' ? dotted(groups[6], groups[7]) : undefined
}

const dotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.')

/** Returns the eight groups of an IPv6 address; a zone is left out. */
export function groupsOf(address: string): readonly number[] {
  // a URL writes all spellings of an address in one way
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, '')}]`)
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map(half => half.split(':').flatMap(group => (group === '' ? [] : Number.parseInt(group, 16))))
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after]
}
