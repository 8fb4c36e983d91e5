import type { GetServerSidePropsContext } from 'next'
import { State } from '../../components/state'

export const getServerSideProps = async ({ query }: GetServerSidePropsContext) => ({ props: { query } })

export default function Items(props: object) {
  return <State props={props} />
}
