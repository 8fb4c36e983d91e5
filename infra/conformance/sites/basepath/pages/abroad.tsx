import Link from 'next/link'
import { useRouter } from 'next/router'
import { State } from '../components/state'

export const getServerSideProps = async ({ req }: { req: { headers: { host: string } } }) => ({
  props: { here: `http://${req.headers.host}` },
})

export default function Abroad({ here }: { here: string }) {
  const { basePath } = useRouter()
  return (
    <>
      <a id="plain" href="https://www.example.com/plain">
        another site
      </a>
      <Link id="other" href="https://www.example.com/other">
        another site
      </Link>
      <Link id="own" href={`${here}${basePath}/attic`}>
        this site
      </Link>
      <Link id="outside" href={`${here}/outer-rewrite-in-browser`}>
        this host, outside of this site
      </Link>
      <Link id="twice" href={`${basePath}/attic`}>
        the base path twice
      </Link>
      <State props={{ here }} />
    </>
  )
}
