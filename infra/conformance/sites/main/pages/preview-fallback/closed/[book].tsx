import type { GetStaticPaths, GetStaticProps } from 'next'
import { Preview, proofOf } from '../../../components/preview'

export const getStaticPaths: GetStaticPaths = () => ({ paths: ['/preview-fallback/closed/atlas'], fallback: false })

export const getStaticProps: GetStaticProps = (context) => ({
  props: { ...proofOf(context), book: context.params?.book },
})

export default function ClosedBook(proof: object) {
  return <Preview {...proof} />
}
