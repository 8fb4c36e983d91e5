import Head from 'next/head'
import Link from 'next/link'
import { type ReactNode, useState } from 'react'

function Pill({ href, children, ...props }: { href?: string; children: ReactNode }) {
  return (
    <a {...props} href={href} className="pill">
      {children}
    </a>
  )
}

export default function Home() {
  const [navigated, setNavigated] = useState('')
  const count = 2
  return (
    <main>
      <Head>
        <title>Home {count}</title>
        <meta name="description" content="of the home page" />
        <meta property="og:title" content="of the home page" />
        <meta property="og:image" content="/one.png" />
        <meta property="og:image" content="/two.png" />
        <meta key="theme" name="theme-color" content="white" />
        <link rel="canonical" href="https://example.org/" />
        <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: '{"@type":"WebSite"}' }} />
        <style>{'.from-head { color: rgb(1, 2, 3) }'}</style>
        <base target="_self" />
      </Head>
      <h1 className="from-head styled">Home</h1>
      <p id="navigated">{navigated}</p>
      <Link id="object" href={{ pathname: '/posts/[slug]', query: { slug: 'a b', from: 'home' } }}>
        object
      </Link>
      <Link id="as" href="/posts/[slug]" as="/posts/second">
        as
      </Link>
      <Link href="/about" legacyBehavior>
        {/* biome-ignore lint/a11y/useValidAnchor: the link adds the address. */}
        <a className="plain">legacy</a>
      </Link>
      <Link href="/about" legacyBehavior passHref>
        <Pill>pill</Pill>
      </Link>
      <Link
        id="prevented"
        href="/about"
        onNavigate={(event) => {
          event.preventDefault()
          setNavigated('prevented')
        }}
      >
        prevented
      </Link>
      <Link id="kept" href="/about" onNavigate={() => setNavigated('kept')} replace>
        replaced
      </Link>
      <Link id="photo" href="/?photo=7" as="/photos/7" shallow>
        photo
      </Link>
      <Link id="tools" href="/tools">
        tools
      </Link>
    </main>
  )
}
