import Link from 'next/link'
import { useRouter } from 'next/router'
import { State } from './state'

/** A page that links to itself in another locale, and to another fragment. */
export function Switch(props: object) {
  const { asPath, locale } = useRouter()
  return (
    <>
      <State props={props} />
      <Link id="switch" href={asPath} locale={locale === 'fr' ? 'en-US' : 'fr'}>
        switch
      </Link>
      <Link id="fragment" href="#stern">
        stern
      </Link>
    </>
  )
}
