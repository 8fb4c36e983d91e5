import type { GetStaticPaths, GetStaticProps } from 'next'
import Head from 'next/head'
import { useRouter } from 'next/router'

export const getStaticPaths: GetStaticPaths = () => ({ paths: [], fallback: 'blocking' })
export const getStaticProps: GetStaticProps = ({ params }) => ({ props: { slug: params.slug } })

export default function Post({ slug }: { slug: string }) {
  const router = useRouter()
  return (
    <main>
      <Head>
        <meta property="og:image" content={`${process.env.NEXT_PUBLIC_SITE}/api/share/${encodeURIComponent(slug)}`} />
      </Head>
      <h1>Post {slug}</h1>
      <p id="router">
        {router.pathname} {router.asPath} {JSON.stringify(router.query)} {String(router.isReady)}
      </p>
      <button id="query" type="button" onClick={() => router.push({ query: { ...router.query, page: 2 } })}>
        page 2
      </button>
      <button
        id="shallow"
        type="button"
        onClick={() => router.replace(`/posts/${slug}?tab=1`, undefined, { shallow: true })}
      >
        tab
      </button>
    </main>
  )
}
