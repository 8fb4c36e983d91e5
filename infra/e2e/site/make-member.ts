// make-member.ts
import { randomBytes, scryptSync } from 'node:crypto'

const [name = '', password = ''] = process.argv.slice(2)
const salt = randomBytes(16)
const hash = scryptSync(password, salt, 32, { N: 2 ** 15, p: 3, maxmem: 2 ** 26 })
console.log(`${name}:${salt.toString('base64url')}.${hash.toString('base64url')}`)
