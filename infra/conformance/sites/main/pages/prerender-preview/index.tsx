import type { GetStaticProps } from 'next'
import { Preview, type Proof, proofOf } from '../../components/preview'

export const getStaticProps: GetStaticProps = (context) => ({ props: proofOf(context) })

export default function Novel(proof: Proof) {
  return <Preview {...proof} />
}
