import Link from 'next/link'
import { useRouter } from 'next/router'
import { State } from '../../../components/state'

const AT = '/middleware-rewrites/posts'

export const getStaticPaths = () => ({ paths: ['first', 'built'].map((slug) => `${AT}/${slug}`), fallback: true })

/** A new post takes longer than a second request of the same document. */
export async function getStaticProps({ params }: { params: { slug: string } }) {
  if (params.slug.startsWith('new-')) await new Promise((done) => setTimeout(done, 300))
  return { props: { params } }
}

export default function Post(props: object) {
  if (useRouter().isFallback) return <p id="waits">waits</p>
  return (
    <main>
      <Link href={`${AT}/first?hello=there`} shallow id="with-query">
        with a query
      </Link>
      <Link href={`${AT}/second`} shallow id="second">
        second
      </Link>
      <State props={props} />
    </main>
  )
}
