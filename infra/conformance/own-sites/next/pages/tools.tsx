import getConfig from 'next/config'
import { PHASE_PRODUCTION_BUILD } from 'next/constants'
import { RouterContext } from 'next/dist/shared/lib/router-context.shared-runtime'
import dynamic from 'next/dynamic'
import Form from 'next/form'
import Image, { getImageProps } from 'next/image'
import LegacyImage from 'next/legacy/image'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import Router from 'next/router'
import Script from 'next/script'
import { useContext, useState } from 'react'
import picture from '../public/picture.png'

const Heavy = dynamic(() => import('../components/heavy'), { loading: () => <p>loading</p> })
const Named = dynamic({ loader: () => import('../components/heavy').then((module) => module.Named) })
const BrowserOnly = dynamic(() => import('../components/browser-only'), {
  ssr: false,
  loading: () => <p id="browser-only">loading in the browser</p>,
})
const Broken = dynamic<object>(() => Promise.reject(new Error('offline')), {
  ssr: false,
  loading: ({ error }) => <p id="broken">{error ? `failed: ${error.message}` : 'loading'}</p>,
})

export default function Tools() {
  const [events, setEvents] = useState<string[]>([])
  const note = (text: string) => setEvents((before) => [...before, text])
  const [loaded, setLoaded] = useState('')
  const search = useSearchParams()
  const router = useRouter()
  const { props: background } = getImageProps({ src: '/picture.png', alt: '', width: 64, height: 64 })
  return (
    <main>
      <h1>Tools {useContext(RouterContext)?.pathname}</h1>
      <Heavy name="component" />
      <Named />
      <BrowserOnly />
      <Broken />
      <Script id="early" strategy="beforeInteractive">{`window.early = document.readyState`}</Script>
      <Script src="/widget.js" onLoad={() => note('load')} onReady={() => note('ready')} />
      <Script src="/lazy.js" strategy="lazyOnload" onReady={() => note('lazy')} />
      <Script src="/missing.js" strategy="lazyOnload" onError={() => note('error')} />
      <p id="events">{events.toSorted().join(' ')}</p>
      <Image id="image" src={picture} alt="A field" priority onLoadingComplete={(image) => setLoaded(image.alt)} />
      <LegacyImage id="legacy-image" src="/picture.png" alt="" width="64" height={64} layout="responsive" />
      <p id="loaded">{loaded}</p>
      <p id="background">{background.src}</p>
      <p id="navigation">
        {usePathname()} {search.get('q')}
      </p>
      <p id="config">
        {JSON.stringify(getConfig())} {PHASE_PRODUCTION_BUILD}
      </p>
      <Form id="form" action="/tools">
        <input name="q" defaultValue="sea" />
        <button type="submit">search</button>
      </Form>
      <button id="singleton" type="button" onClick={() => Router.push('/about')}>
        about
      </button>
      <button id="app-router" type="button" onClick={() => router.push('/posts/third')}>
        third
      </button>
    </main>
  )
}
