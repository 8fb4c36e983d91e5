import { describe, expect, test } from 'vitest'
import { listenHost, networkAddresses } from './listen-host.ts'
import { readOptions } from './options.ts'

/** The address that `portico dev` or `portico start` listens on, and what it warns of. */
function listen(args: readonly string[], { isDevelopment = true, HOST = '' } = {}) {
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const option = readOptions(args).host
  const host = listenHost({ isDevelopment, option, setting: HOST || '0.0.0.0', isSet: HOST !== '', warn })
  return { host, warnings }
}

describe('V3 the address of the public port', () => {
  test.each([
    [[], '127.0.0.1'],
    [['--host'], '0.0.0.0'],
    [['--host', '--json'], '0.0.0.0'],
    [['--host', '192.168.1.7'], '192.168.1.7'],
    [['--host=::'], '::'],
    [['--host='], '0.0.0.0'],
  ])('V3 portico dev %j listens on %s', (args, host) => expect(listen(args)).toEqual({ host, warnings: [] }))

  test('V3 the setting HOST opens no development server, and a warning names the option that does', () => {
    expect(listen([], { HOST: '0.0.0.0' })).toEqual({
      host: '127.0.0.1',
      warnings: [
        'HOST=0.0.0.0 has no effect: portico dev listens on 127.0.0.1; portico dev --host lets other machines in',
      ],
    })
    expect(listen([], { HOST: '127.0.0.1' }).warnings).toEqual([])
    expect(listen(['--host'], { HOST: '0.0.0.0' }).warnings).toEqual([])
  })

  test('K1 production listens on HOST and refuses --host by name', () => {
    expect(listen([], { isDevelopment: false }).host).toBe('0.0.0.0')
    expect(listen([], { isDevelopment: false, HOST: '10.0.0.7' }).host).toBe('10.0.0.7')
    expect(() => listen(['--host'], { isDevelopment: false })).toThrow('--host: an option of portico dev')
  })

  test('V3 names addresses for other machines only where they can connect', () => {
    expect(networkAddresses('127.0.0.1', 8080)).toEqual([])
    expect(networkAddresses('192.168.1.7', 8080)).toEqual([])
    for (const address of networkAddresses('0.0.0.0', 8080)) expect(address).toMatch(/^http:\/\/(?!127\.)[\d.]+:8080$/)
  })
})
