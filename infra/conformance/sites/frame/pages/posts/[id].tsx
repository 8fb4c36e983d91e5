export const getStaticPaths = async () => ({ paths: ['/posts/1'], fallback: false })

export const getStaticProps = async () => ({ props: {} })

export default function Post() {
  return <h1>Post</h1>
}
