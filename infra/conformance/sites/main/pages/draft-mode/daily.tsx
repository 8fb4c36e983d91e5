import type { GetServerSideProps } from 'next'
import { Preview, type Proof, proofOf } from '../../components/preview'

export const getServerSideProps: GetServerSideProps = async (context) => {
  context.res.setHeader('Cache-Control', 'public, max-age=900')
  return { props: proofOf(context) }
}

export default function Daily(proof: Proof) {
  return <Preview {...proof} />
}
