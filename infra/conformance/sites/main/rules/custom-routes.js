const AT = '/custom-routes'

/** A condition with a value, or with none. */
const when = (type, key, value) => [{ type, key, ...(value && { value }) }]

const rewrite = (source, destination, conditions) => ({
  source: AT + source,
  destination: AT + destination,
  ...conditions,
})

const redirect = (source, destination, { statusCode = 307, ...conditions } = {}) => ({
  source: AT + source,
  destination: destination.startsWith('https:') ? destination : AT + destination,
  statusCode,
  ...conditions,
})

const header = (source, headers, conditions) => ({
  source: AT + source,
  headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
  ...conditions,
})

const member = when('cookie', 'member', '(?<member>yes)')
const onStage = [{ type: 'host', value: 'stage.example' }]

exports.redirects = [
  redirect('/first-stop', '/second-stop', { statusCode: 301 }),
  redirect('/second-stop', '/third-stop', { statusCode: 302 }),
  redirect('/third-stop', '/garden', { statusCode: 303 }),
  redirect('/moved', '/garden'),
  redirect('/moved-long-ago', '/garden', { statusCode: 301 }),
  redirect('/moved-for-ever', '/garden', { statusCode: 308 }),
  redirect('/floors/:floor/plan', '/plans/:floor'),
  redirect('/faults/:code', '/help#:code', { statusCode: 301 }),
  redirect('/all-of/:path*', '/garden'),
  redirect('/map', '/maps/old', { statusCode: 301 }),
  redirect('/maps/:rest(old.*)', '/garden', { statusCode: 301 }),
  redirect('/find/:kind/:name', '/hall?what=:kind&named=:name'),
  redirect('/closed-page', '/garden'),
  redirect('/out', 'https://www.example.com'),
  redirect('/door/(north|south)/(.*)', '/garden'),
  redirect('/numbered/:0', '/:0'),
  { source: `${AT}/in/:tongue`, destination: '/:tongue/garden', permanent: false },
  redirect('/guide/:part(tours|talks)/v1:rest(.*)', '/:part/:rest'),
  redirect('/sign-in', 'https://login.example.com/start?back=https%3A%2F%2Fwww.example.com/home'),
  redirect('/sign-in-plain', 'https://login.example.com/start?back=https://www.example.com/home'),
  redirect('/without-header', '/hall', { missing: when('header', 'x-guest', '(?<guest>.*)') }),
  redirect('/without-query', '/hall', { missing: when('query', 'guest') }),
  redirect('/without-cookie', '/hall?is=new', { missing: member }),
  redirect('/with-header', '/hall?guest=:guest', { has: when('header', 'x-guest', '(?<guest>.*)') }),
  redirect('/with-query', '/hall?seen=:guestname', { has: when('query', 'guest-name') }),
  redirect('/with-cookie', '/hall?is=member', { has: when('cookie', 'member', 'yes') }),
  redirect('/with-host', '/hall?on=stage', { has: onStage }),
  redirect('/with-part-of-host', 'https://:town.example.org/shows/all?c=d', {
    has: [{ type: 'host', value: '(?<town>.*)-branch.example.org' }],
  }),
  redirect('/with-repeated-query', '/hall?last=:guest', { has: when('query', 'guest', '(?<guest>.*)') }),
  {
    source: '/:folder/with-mark',
    destination: `${AT}/garden`,
    permanent: false,
    has: when('header', 'x-custom-routes'),
  },
]

exports.headers = [
  header('/:path*', { 'x-on-all': 'the suite' }),
  header('/garden', { 'x-flowers': 'roses and lilies', 'x-trees': 'a lime' }),
  header('/trees/(.*)', { 'x-leaf': 'green', 'x-trunk': 'brown' }),
  header('/labels/:name', {
    'x-label': ':name',
    'x-of-:name': 'yes',
    'x-text-1': 'a:word*',
    'x-text-2': 'word*',
    'x-text-3': ':word?',
    'x-text-4': ':word+',
    'x-text-5': 'see https:',
    'x-text-6': ':word(more)',
    'x-text-7': 'word(more)',
    'x-text-8': 'word{2,}',
    'x-text-9': ':word{2,3}',
    'content-security-policy': "img-src *; media-src one.example two.example; script-src 'self' three.example/:name",
  }),
  header('/links/plain', { 'x-link': 'https://www.example.com' }),
  header('/links/to/:path*', { 'x-link': 'https://www.example.com/:path*' }),
  header('/links/port/:path*', { 'x-link': 'https://www.example.com:8443?at=:path*' }),
  header('/pattern/:path(.*)', { 'x-value': 'it=:path', 'x-is-:path': 'yes' }),
  header('/all-of-it/:path*', { 'x-path': ':path*' }),
  header('/headers/without-header', { 'x-open': 'yes' }, { missing: when('header', 'x-guest', '(?<guest>.*)') }),
  header('/headers/without-query', { 'x-open': 'yes' }, { missing: when('query', 'guest') }),
  header('/headers/without-cookie', { 'x-open': 'yes' }, { missing: member }),
  header('/headers/with-header', { 'x-open': 'yes' }, { has: when('header', 'x-guest', '(?<guest>.*)') }),
  header('/headers/with-query', { 'x-open': 'yes' }, { has: when('query', 'guest-name') }),
  header('/headers/with-cookie', { 'x-open': 'yes' }, { has: when('cookie', 'member', 'yes') }),
  header('/headers/with-host', { 'x-open': 'yes' }, { has: onStage }),
]

exports.beforeFiles = [
  rewrite('/garden', '/hall?instead-of=garden', { has: when('query', 'winter') }),
  rewrite('/old-wing/:path*', '/new-wing/:path*'),
  rewrite('/tickets/:path*', '/_sale/tickets/:path*'),
]

exports.afterFiles = [
  rewrite('/new-wing/about', '/garden'),
  rewrite('/to-still', '/still/vase?by=rewrite'),
  rewrite('/to-other-still/:path*', '/still/other?by=rewrite'),
  // It leads to where it begins.
  rewrite('/still/:path*', '/still/:path*'),
  rewrite('/start', '/between'),
  rewrite('/between', '/terrace'),
  rewrite('/one', '/garden'),
  rewrite('/two', '/terrace'),
  rewrite('/entrance', '/hall'),
  rewrite('/brochure', '/leaflet.txt'),
  rewrite('/open/:page', '/:page'),
  rewrite('/change/:one/:two', '/changed/a-fixed-value'),
  rewrite('/changed/:one', '/hall'),
  rewrite('/search/:kind/:name', '/hall?what=:kind&named=:name'),
  rewrite('/all/:path*', '/hall'),
  rewrite('/all-in-query/:path*', '/hall?also=:path*'),
  rewrite('/:place/closed-today', '/hall'),
  rewrite('/room/11', '/room/12'),
  rewrite('/gallery/list.json', '/gallery/pictures.json'),
  rewrite('/parts/of/(.*)/:middle/(.*)', '/hall'),
  rewrite('/kept/:path*', '/kept'),
  rewrite('/of-wing', '/wing/:works', { has: when('query', 'works') }),
  rewrite('/without-header/page', '/hall', { missing: when('header', 'x-guest', '(?<guest>.*)') }),
  rewrite('/without-query/page', '/hall', { missing: when('query', 'guest') }),
  rewrite('/without-cookie/page', '/hall?is=new', { missing: member }),
  rewrite('/with-header/page', '/hall?guest=:guest', { has: when('header', 'x-guest', '(?<guest>.*)') }),
  rewrite('/with-query/page', '/hall?seen=:guestname', { has: when('query', 'guest-name') }),
  rewrite('/with-cookie/page', '/hall?is=member', { has: member }),
  rewrite('/with-host/page', '/hall?host=stage', { has: onStage }),
  rewrite('/with-page/page', '/:page', { has: when('query', 'page') }),
  rewrite('/with-plain-header/page', '/hall', { has: when('header', 'x-page', 'hall') }),
  rewrite('/with-named-query/page', '/hall?named=:which', { has: when('query', 'page', '(?<which>hall|terrace)') }),
  { source: `${AT}/hidden/:path*`, destination: '/:path*' },
  { source: `${AT}/echo`, destination: `/api${AT}/echo` },
  { source: `${AT}/echo-all/:first(.*)`, destination: `/api${AT}/echo?named=:first*` },
  { source: `${AT}/echo-one/:named`, destination: `/api${AT}/echo?first=:named` },
]
