// Headers of the configuration, whatever the status of the response is.

import { responses } from '../../harness/responses.ts'
import { AT } from './expectations.ts'

export const headerBehaviours = responses(
  'custom-routes',
  {
    '17 sends text of headers that only looks like a parameter as it is': {
      path: '/labels/here',
      headers: {
        'x-label': 'here',
        'x-of-here': 'yes',
        'x-text-1': 'a:word*',
        'x-text-2': 'word*',
        'x-text-3': ':word?',
        'x-text-4': ':word+',
        'x-text-5': 'see https:',
        'x-text-6': ':word(more)',
        'x-text-7': 'word(more)',
        'x-text-8': 'word{2,}',
        'x-text-9': ':word{2,3}',
        'content-security-policy': "img-src *; media-src one.example two.example; script-src 'self' three.example/here",
      },
    },
    '18 rewrites a path that also has headers and fits a page with a parameter': {
      path: '/room/closed-today',
      headers: { 'x-on-all': 'the suite' },
      query: { place: 'room' },
    },
    '34 puts all that a catch-all has into a header': { path: '/all-of-it/a/b?c=d', headers: { 'x-path': 'a/b' } },
    '50 adds the headers of a path': { path: '/garden', headers: { 'x-flowers': 'roses and lilies', 'x-trees': 'a lime' } },
    '51 adds the headers of paths that fit an expression': { path: '/trees/oak', headers: { 'x-leaf': 'green', 'x-trunk': 'brown' } },
    '52 puts a parameter into value and name of a header': { path: '/labels/there', headers: { 'x-label': 'there', 'x-of-there': 'yes' } },
    '53 sends a URL in a header': { path: '/links/plain', headers: { 'x-link': 'https://www.example.com' } },
    '54 puts a parameter into a URL in a header': { path: '/links/to/here', headers: { 'x-link': 'https://www.example.com/here' } },
    '55 puts a parameter into a URL with a port in a header': { path: '/links/port/here', headers: { 'x-link': 'https://www.example.com:8443?at=here' } },
    '56 puts a parameter with an expression into value and name of a header': { path: '/pattern/here', headers: { 'x-value': 'it=here', 'x-is-here': 'yes' } },
  },
  { at: AT },
)
