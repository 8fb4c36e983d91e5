// The URL of `NextRequest` (X7, X15): `pathname` is without basePath and locale, which `href` has.

import { stripBasePath } from '@portico/shared/wire/routing/urls.ts'

/** The settings of a site that its URLs depend on. */
interface UrlConfig {
  basePath?: string | undefined
  trailingSlash?: boolean | undefined
  i18n?: { locales: readonly string[]; defaultLocale: string } | null | undefined
}

export interface SiteOfUrl {
  nextConfig?: UrlConfig | undefined
}

/** The URL of a request, whose parts can be changed: `href` is written from them. */
export class NextUrl extends URL {
  readonly #config: UrlConfig
  #basePath = ''
  #locale: string | undefined
  #path = '/'
  #hasSlash = false

  constructor(url: string | URL, base?: string | URL | SiteOfUrl, options: SiteOfUrl = {}) {
    const isBase = typeof base === 'string' || base instanceof URL
    super(url, isBase ? base : undefined)
    const { nextConfig = {} } = isBase ? options : (base ?? {})
    this.#config = nextConfig
    this.#read()
  }

  get basePath(): string {
    return this.#basePath
  }

  set basePath(value: string) {
    this.#basePath = value === '' || value.startsWith('/') ? value : `/${value}`
    this.#write()
  }

  /** Empty for a site without locales. */
  get locale(): string {
    return this.#locale ?? ''
  }

  set locale(value: string) {
    if (!this.#config.i18n?.locales.includes(value))
      throw new TypeError(`nextUrl.locale = "${value}": must be one of the site's locales`)
    this.#locale = value
    this.#write()
  }

  get defaultLocale(): string | undefined {
    return this.#config.i18n?.defaultLocale
  }

  /** A site has no locales by domain. */
  get domainLocale(): undefined {
    return undefined
  }

  /** Empty: middleware sees pages, never their data. */
  get buildId(): string {
    return ''
  }

  override get pathname(): string {
    return this.#path
  }

  override set pathname(value: string) {
    super.pathname = value
    this.#path = super.pathname
    this.#write()
  }

  override get href(): string {
    return super.href
  }

  override set href(value: string) {
    super.href = value
    this.#read()
  }

  clone(): NextUrl {
    return new NextUrl(this.href, { nextConfig: this.#config })
  }

  #read(): void {
    const { basePath = '', i18n, trailingSlash = false } = this.#config
    const whole = super.pathname
    this.#hasSlash = whole === '/' ? trailingSlash : whole.endsWith('/')
    const below = basePath === '' ? undefined : stripBasePath(whole, basePath)
    this.#basePath = below === undefined ? '' : basePath
    const path = below ?? whole
    const [, first = ''] = path.split('/', 2)
    const locale = i18n?.locales.find((each) => each.toLowerCase() === first.toLowerCase())
    this.#locale = locale ?? i18n?.defaultLocale
    this.#path = locale === undefined ? path : path.slice(first.length + 1) || '/'
    if (i18n) this.#write()
  }

  /** The default locale is not in the path, as in Next.js. */
  #write(): void {
    const { i18n } = this.#config
    const isPrefixed = i18n && this.#locale !== i18n.defaultLocale && !/^\/api(\/|$)/i.test(this.#path)
    const path = (isPrefixed ? `/${this.#locale}` : '') + this.#path
    const whole = this.#basePath + (path === '/' && this.#basePath !== '' ? '' : path)
    const plain = whole.replace(/\/+$/, '') || '/'
    super.pathname = this.#hasSlash && plain !== '/' ? `${plain}/` : plain
  }
}
