import { useRouter } from 'next/router'
import { State } from '../../components/state'

export const getStaticProps = () => ({ props: { isMade: true }, revalidate: 1 })

export default function Page(props: object) {
  console.log(`rendered at ${useRouter().asPath} .`)
  return <State props={props} />
}
