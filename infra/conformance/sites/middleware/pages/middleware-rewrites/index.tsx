import Link from 'next/link'
import { useRouter } from 'next/router'
import { State } from '../../components/state'

const AT = '/middleware-rewrites'

const LINKS = {
  article: '/article/one/two/3',
  renamed: '/renamed?inside=yes',
  before: '/to-before',
  after: '/to-after',
  inside: '/about?inside=yes',
  outside: '/about?outside=21962',
  unseen: '/unseen?word=seen',
  still: '/still',
  choice: '/choices/1',
}

export const getServerSideProps = () => ({ props: { page: 'index' } })

export default function Rewrites(props: object) {
  const router = useRouter()
  const pushShallow = () => router.push(`${AT}?path=unseen&word=seen`, undefined, { shallow: true })
  return (
    <main>
      {Object.entries(LINKS).map(([id, path]) => (
        <p key={id}>
          <Link href={AT + path} id={id}>
            {id}
          </Link>
        </p>
      ))}
      <button type="button" id="shallow" onClick={() => void pushShallow()}>
        shallow
      </button>
      <State props={props} />
    </main>
  )
}
