// The one reader of an API handler's config: both forms, and every fault.

import { describe, expect, test } from 'vitest'
import { parseApiConfig } from './api-config.ts'

function read(config: unknown, apiConfig = true) {
  const faults: string[] = []
  const settings = parseApiConfig(config, { apiConfig }, (member, value, rule) =>
    faults.push(`${member} = ${JSON.stringify(value)}: ${rule}`),
  )
  return { settings, faults }
}

const DEFAULTS = {
  bodyLimitBytes: 1_048_576,
  crossOrigin: false,
  timeoutMs: 30_000,
  responseLimitBytes: undefined,
  externalResolver: false,
  isEdge: false,
}

describe('the config of an API handler', () => {
  test.each([
    [undefined, {}],
    [{}, {}],
    [{ api: {} }, {}],
    [{ bodyParser: true, api: { responseLimit: false, externalResolver: false } }, {}],
    [{ bodyParser: false }, { bodyLimitBytes: undefined }],
    [{ api: { bodyParser: false } }, { bodyLimitBytes: undefined }],
    [{ api: { bodyParser: true } }, {}],
    [{ api: { bodyParser: {} } }, {}],
    [{ bodyLimitBytes: 10 }, { bodyLimitBytes: 10 }],
    [{ api: { bodyParser: { sizeLimit: 10 } } }, { bodyLimitBytes: 10 }],
    [{ api: { bodyParser: { sizeLimit: '10' } } }, { bodyLimitBytes: 10 }],
    [{ api: { bodyParser: { sizeLimit: '1.5 KB' } } }, { bodyLimitBytes: 1536 }],
    [{ api: { bodyParser: { sizeLimit: '4mb' } } }, { bodyLimitBytes: 4_194_304 }],
    [{ api: { responseLimit: true } }, { responseLimitBytes: 4_194_304 }],
    [{ api: { responseLimit: '8mb' } }, { responseLimitBytes: 8_388_608 }],
    [{ api: { externalResolver: true } }, { externalResolver: true }],
    [{ runtime: 'nodejs' }, {}],
    [{ runtime: 'edge' }, { isEdge: true }],
    [
      { crossOrigin: true, timeoutMs: 50 },
      { crossOrigin: true, timeoutMs: 50 },
    ],
  ])('A8 reads %j', (config, changes) => {
    expect(read(config)).toEqual({ settings: { ...DEFAULTS, ...changes }, faults: [] })
  })

  test('A8 outside of compatibility mode members for hosts of Next.js are refused by name', () => {
    const { settings, faults } = read({ runtime: 'edge', maxDuration: 5, regions: undefined }, false)
    expect(settings.isEdge).toBe(false)
    expect(faults).toEqual([
      'config.runtime = "edge": is not supported: every handler runs in Node; remove the member',
      'config.maxDuration = 5: is not supported; use timeoutMs, in milliseconds',
      'config.regions = undefined: is not supported: the operator decides where the services run; remove the member',
    ])
  })

  test.each([
    [1, 'config = 1: must be an object with bodyLimitBytes, bodyParser, crossOrigin, timeoutMs, api'],
    [
      { bodyLimit: 1 },
      'config.bodyLimit = 1: is not a member; known: bodyLimitBytes, bodyParser, crossOrigin, timeoutMs, api',
    ],
    [{ bodyParser: 'no' }, 'config.bodyParser = "no": must be true or false'],
    ...[0, 60_001, '5s'].map((timeoutMs): [unknown, string] => [
      { timeoutMs },
      `config.timeoutMs = ${JSON.stringify(timeoutMs)}: must be a whole number, 1 to 60000: the gateway waits no longer for the beginning of a response`,
    ]),
    [{ api: true }, 'config.api = true: must be an object with bodyParser, responseLimit, externalResolver'],
    [
      { api: { bodyLimit: 1 } },
      'config.api.bodyLimit = 1: is not a member; known: bodyParser, responseLimit, externalResolver',
    ],
    [{ api: { bodyParser: 1 } }, 'config.api.bodyParser = 1: must be true or false'],
    [{ api: { bodyParser: null } }, 'config.api.bodyParser = null: must be an object with sizeLimit'],
    [{ api: { bodyParser: { limit: 1 } } }, 'config.api.bodyParser.limit = 1: is not a member; known: sizeLimit'],
    [
      { api: { bodyParser: { sizeLimit: 'big' } } },
      'config.api.bodyParser.sizeLimit = "big": must be a number of bytes, or a text such as "500kb" or "1mb"',
    ],
    [
      { api: { responseLimit: -1 } },
      'config.api.responseLimit = -1: must be a number of bytes, or a text such as "500kb" or "1mb"',
    ],
    [
      { bodyParser: true, api: { bodyParser: false } },
      'config.bodyParser = true: is given in config.api, too; remove one of them',
    ],
    [
      { bodyLimitBytes: 1, api: { bodyParser: { sizeLimit: 2 } } },
      'config.bodyLimitBytes = 1: is given as config.api.bodyParser.sizeLimit, too; remove one of them',
    ],
    [
      { runtime: 'edge', api: { bodyParser: { sizeLimit: 9 } } },
      'config.api.bodyParser.sizeLimit = 9: has no effect with the runtime "edge": such a handler reads the request itself; remove the member',
    ],
    [
      { bodyLimitBytes: 1, api: { bodyParser: false } },
      'config.bodyLimitBytes = 1: has no effect with bodyParser: false; remove one of them',
    ],
  ])('A8 refuses %j', (config, fault) => {
    expect(read(config).faults).toEqual([fault])
  })
})
