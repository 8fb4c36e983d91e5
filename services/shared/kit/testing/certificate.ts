// A self-signed certificate for tests of sources behind TLS, for names under `.test`. Node can read certificates but
// not create them, so this file encodes the few necessary fields (RFC 5280 section 4.1).

import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'

export interface TestCertificate {
  /** PEM. */
  key: string
  /** PEM. */
  cert: string
}

const SEQUENCE = 0x30
const SET = 0x31
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_ID = 0x06
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
/** [n], as a structure. */
const context = (number: number) => 0xa0 + number
/** `dNSName` of GeneralName. */
const DNS_NAME = 0x82

const OBJECTS = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
}

/** Valid from yesterday until tomorrow. */
export function makeCertificate(name: string): TestCertificate {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const algorithm = der(SEQUENCE, object('ecdsaWithSha256'))
  const subject = der(SEQUENCE, der(SET, der(SEQUENCE, object('commonName'), der(UTF8_STRING, Buffer.from(name)))))
  const names = der(SEQUENCE, der(DNS_NAME, Buffer.from(name)))
  const body = der(
    SEQUENCE,
    der(context(0), der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    subject,
    der(SEQUENCE, time(-1), time(1)),
    subject,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der(context(3), der(SEQUENCE, der(SEQUENCE, object('subjectAltName'), der(OCTET_STRING, names)))),
  )
  const signature = der(BIT_STRING, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  const text = der(SEQUENCE, body, algorithm, signature).toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  }
}

/** Tag, length, value (X.690 section 8.1). */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...head]), value])
}

function object(name: keyof typeof OBJECTS): Buffer {
  return der(OBJECT_ID, Buffer.from(OBJECTS[name], 'hex'))
}

/** YYMMDDhhmmssZ, days from now. */
function time(days: number): Buffer {
  const at = new Date(Date.now() + days * 86_400_000).toISOString()
  return der(UTC_TIME, Buffer.from(`${at.replace(/\D/g, '').slice(2, 14)}Z`))
}
