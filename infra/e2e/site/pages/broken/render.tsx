// Throws while it is rendered.

export default function BrokenRender(): never {
  throw new Error('fixture render failed: secret-of-the-render')
}

export const getServerSideProps = async () => ({ props: {} })
