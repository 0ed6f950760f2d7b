// The keys of `jwt`: what must never verify a token, and the algorithms that fit.
import { KeyObject, type webcrypto } from 'node:crypto'

/** The parts of a JSON Web Key that are looked at. */
interface Jwk {
  readonly kty?: unknown
  readonly crv?: unknown
  readonly alg?: unknown
  readonly d?: unknown
  readonly k?: unknown
}

/** The algorithms of asymmetric keys (RFC 7518, RFC 8037). */
const RSA = ['RS256', 'RS384', 'RS512']
const PSS = ['PS256', 'PS384', 'PS512']
const ED25519 = ['EdDSA', 'Ed25519']
const CURVES: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  prime256v1: 'ES256',
  'P-384': 'ES384',
  secp384r1: 'ES384',
  'P-521': 'ES512',
  secp521r1: 'ES512',
}
export const ASYMMETRIC = [...RSA, ...PSS, 'ES256', 'ES384', 'ES512', ...ED25519]

/** A shared secret is as long as the hash or longer (RFC 7518, section 3.2). */
const SHARED = { HS256: 32, HS384: 48, HS512: 64 }

/**
 * Returns the algorithms that a key can verify. Throws a TypeError for private keys, for shared
 * secrets that are too short, and for bytes of a public key: whoever has them could sign.
 */
export function algorithmsOf(key: unknown): readonly string[] {
  if (key instanceof Uint8Array) return sharedAlgorithms(key)
  if (key instanceof KeyObject) return ofKeyObject(key)
  return 'kty' in (key as object) ? ofJwk(key as Jwk) : ofCryptoKey(key as webcrypto.CryptoKey)
}

function ofKeyObject(key: KeyObject): readonly string[] {
  if (key.type === 'secret') return sharedAlgorithms(key.export())
  refusePrivate(key.type === 'private')
  const { namedCurve = '' } = key.asymmetricKeyDetails ?? {}
  const type = key.asymmetricKeyType
  if (type === 'rsa') return [...RSA, ...PSS]
  if (type === 'rsa-pss') return PSS
  if (type === 'ec') return onCurve(namedCurve)
  return type === 'ed25519' ? ED25519 : []
}

function ofJwk({ kty, crv, alg, d, k }: Jwk): readonly string[] {
  const shared = kty === 'oct'
  refusePrivate(!shared && d !== undefined)
  const all = shared
    ? sharedAlgorithms(Buffer.from(String(k), 'base64url'))
    : kty === 'RSA'
      ? [...RSA, ...PSS]
      : kty === 'EC'
        ? onCurve(String(crv))
        : crv === 'Ed25519'
          ? ED25519
          : []
  return alg === undefined ? all : all.filter(one => one === alg)
}

function ofCryptoKey({ type, algorithm }: webcrypto.CryptoKey): readonly string[] {
  const { name, hash, namedCurve, length } = algorithm as unknown as {
    readonly name: string
    readonly hash?: { readonly name: string }
    readonly namedCurve?: string
    readonly length?: number
  }
  refusePrivate(type === 'private')
  const bits = hash?.name.replace('SHA-', '')
  if (name === 'HMAC') return longEnough((length ?? 0) / 8).filter(one => one === `HS${bits}`)
  if (name === 'RSASSA-PKCS1-v1_5') return [`RS${bits}`]
  if (name === 'RSA-PSS') return [`PS${bits}`]
  if (name === 'ECDSA') return onCurve(namedCurve ?? '')
  return name === 'Ed25519' ? ED25519 : []
}

function onCurve(curve: string): readonly string[] {
  const algorithm = CURVES[curve]
  return algorithm === undefined ? [] : [algorithm]
}

function refusePrivate(isPrivate: boolean): void {
  if (isPrivate)
    throw new TypeError('key must be the public key: the private one belongs to the issuer alone')
}

// the classic mistake: the public key as the secret of an HMAC (RFC 8725, section 3.1)
const WRITTEN_KEY = /^\s*(?:-----BEGIN |---- BEGIN |ssh-|ecdsa-sha2-|sk-(?:ssh|ecdsa)-)/

function sharedAlgorithms(bytes: Uint8Array): readonly string[] {
  if (WRITTEN_KEY.test(Buffer.from(bytes.subarray(0, 64)).toString('latin1')))
    throw new TypeError(
      'key must be a shared secret or a key object, not the bytes of a PEM or SSH key: createPublicKey(bytes) of node:crypto reads them',
    )
  return longEnough(bytes.byteLength)
}

function longEnough(length: number): readonly string[] {
  if (length < SHARED.HS256)
    throw new TypeError(
      `a shared secret must have at least ${SHARED.HS256} bytes, not ${length} (RFC 7518, section 3.2)`,
    )
  return Object.entries(SHARED).flatMap(([algorithm, least]) => (length >= least ? algorithm : []))
}
