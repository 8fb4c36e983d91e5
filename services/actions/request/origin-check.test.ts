// The whole matrix of A4, as a table over the rule and through the port.

import { checkOrigin } from '@portico/shared/wire/testing.ts'
import { describe, expect, it } from 'vitest'
import { startActions } from '../testing/start-actions.ts'

const SITE = ['https://example.org', 'https://www.example.org']

describe('the origin check', () => {
  it.each<[string, string | undefined, string | undefined, string, boolean, readonly string[], 'pass' | 'refuse']>([
    // name, Sec-Fetch-Site, Origin, Host, cookies, PUBLIC_ORIGINS, verdict
    ['same-origin', 'same-origin', undefined, 'example.org', true, SITE, 'pass'],
    ['same-origin with a null Origin', 'same-origin', 'null', 'example.org', true, SITE, 'pass'],
    ['same-site', 'same-site', 'https://example.org', 'example.org', true, SITE, 'refuse'],
    ['cross-site with a known Origin', 'cross-site', 'https://example.org', 'example.org', false, SITE, 'refuse'],
    ['none', 'none', undefined, 'example.org', false, SITE, 'refuse'],
    ['an empty Sec-Fetch-Site', '', 'https://example.org', 'example.org', true, SITE, 'refuse'],
    ['a known Origin', undefined, 'https://example.org', 'other', true, SITE, 'pass'],
    ['the second known Origin', undefined, 'https://www.example.org', 'example.org', true, SITE, 'pass'],
    ['a known host over http', undefined, 'http://example.org', 'example.org', true, SITE, 'refuse'],
    ['a known host at another port', undefined, 'https://example.org:8443', 'example.org', true, SITE, 'refuse'],
    ['a sister host', undefined, 'https://a.example.org', 'example.org', true, SITE, 'refuse'],
    ['a longer host', undefined, 'https://example.org.evil.example', 'example.org', true, SITE, 'refuse'],
    ['the Host as Origin although origins are configured', undefined, 'https://h.test', 'h.test', true, SITE, 'refuse'],
    ['a null Origin', undefined, 'null', 'example.org', true, SITE, 'refuse'],
    ['an Origin equal to Host', undefined, 'http://h.test:8080', 'h.test:8080', true, [], 'pass'],
    ['an Origin with the default port left out', undefined, 'http://h.test', 'h.test:80', true, [], 'pass'],
    ['an Origin at another port', undefined, 'http://h.test:81', 'h.test:8080', true, [], 'refuse'],
    ['an Origin of another host', undefined, 'http://evil.test', 'h.test', true, [], 'refuse'],
    ['an upper-case Host', undefined, 'http://h.test', 'H.test', true, [], 'pass'],
    ['a null Origin without configured origins', undefined, 'null', 'null', true, [], 'refuse'],
    ['an Origin that is no URL', undefined, 'h.test', 'h.test', true, [], 'refuse'],
    ['an Origin and no Host', undefined, 'http://h.test', '', true, [], 'refuse'],
    ['neither, with cookies', undefined, undefined, 'h.test', true, [], 'refuse'],
    ['neither, with cookies and configured origins', undefined, undefined, 'example.org', true, SITE, 'refuse'],
    ['neither, without cookies', undefined, undefined, 'h.test', false, [], 'pass'],
    ['neither, without cookies, origins configured', undefined, undefined, 'h.test', false, SITE, 'pass'],
  ])('A4 decides for %s', (_name, secFetchSite, origin, host, hasCookies, origins, verdict) => {
    expect(checkOrigin({ secFetchSite, origin, host, hasCookies, isSecure: false }, origins).kind).toBe(verdict)
  })

  it.each([
    ['http://h.test', true, 'refuse'],
    ['https://h.test', true, 'pass'],
    // A proxy in front may terminate TLS without X-Forwarded-Proto.
    ['https://h.test', false, 'pass'],
  ])('A4 decides for the Origin %s where https is known to be %s', (origin, isSecure, verdict) => {
    const facts = { secFetchSite: undefined, origin, host: 'h.test', hasCookies: true, isSecure }
    expect(checkOrigin(facts, []).kind).toBe(verdict)
  })

  it('A4 refuses a cross-site post with 403 before it reads the body or runs anything', async () => {
    let calls = 0
    const { url, stop } = await startActions({ actions: { save: () => calls++ } })
    const headers = { 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' }
    const form = await fetch(url, { method: 'POST', headers, body: '$ACTION_ID_save=' })
    expect([form.status, form.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
    const scripted = await fetch(url, { method: 'POST', headers: { ...headers, 'portico-action': 'save' }, body: '{' })
    expect([scripted.status, await scripted.json()]).toMatchObject([403, { error: { status: 403 } }])
    expect(calls).toBe(0)
    await stop()
  })

  it('A4 compares the Origin with the host that the gateway reports', async () => {
    const { url, stop } = await startActions({ actions: { save: () => 1 } })
    const post = (origin: string) =>
      fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin, 'x-forwarded-host': 'site.test', 'content-type': 'application/x-www-form-urlencoded' },
        body: '$ACTION_ID_save=',
      })
    // fetch of Node adds no Sec-Fetch-Site unless it is in "cors" mode, so the Origin decides here.
    expect([(await post('http://site.test')).status, (await post(url)).status]).toEqual([303, 403])
    await stop()
  })
})
