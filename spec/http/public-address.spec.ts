import { describe, expect, it } from 'vitest'
import { isPublicAddress } from '../../src/http/ip-address.js'

const CLOSED = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.1.1'],
  shared: ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'link-local': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  'unique local': ['fc00::1', 'fd12:3456::1'],
  'of protocols': ['192.0.0.1', '2001::1', '2001:1ff::1', '64:ff9b:1::808:808'],
  'for documentation and tests': [
    '192.0.2.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '2001:db8::1',
    '3fff:fff::1',
  ],
  'multicast or reserved': ['224.0.0.1', '240.0.0.1', '255.255.255.255', 'ff02::1', '4000::1'],
  'of the same machine, in an IPv6 address': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:10.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '2002:7f00:1::1',
    '::127.0.0.1',
  ],
}
const PUBLIC = [
  ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '169.253.0.1', '172.15.255.255', '172.32.0.0', '192.0.1.1', '192.167.0.1'],
  ...['198.17.0.1', '198.20.0.1', '223.255.255.255'],
  ...['2001:200::1', '2001:db7::1', '2606:4700::1111', '3fff:1000::1', '2400::'],
  ...['::ffff:1.1.1.1', '64:ff9b::1.1.1.1', '2002:101:101::1'],
]

describe('an address', () => {
  it.each(Object.entries(CLOSED))('that is %s is not public', (_title, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })

  it('of anything else is public', () => {
    expect(PUBLIC.filter(address => !isPublicAddress(address))).toEqual([])
  })
})
