import type { GetServerSidePropsContext } from 'next'
import { State } from '../../components/state'

export async function getServerSideProps({ res }: GetServerSidePropsContext) {
  res.setHeader('Cache-Control', 'public, max-age=3600')
  return { props: { kept: true } }
}

export default function Kept(props: object) {
  return <State props={props} />
}
