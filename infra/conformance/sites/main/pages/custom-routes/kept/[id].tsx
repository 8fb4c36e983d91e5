export const getStaticProps = async ({ params }) => ({ props: { params } })

export const getStaticPaths = async () => ({ paths: [{ params: { id: 'coin' } }], fallback: false })

export default function KeptOne({ params }) {
  return <h1>One: {params.id}</h1>
}
