// The lab: one image, any variant of it, and what it costs. A GET form without JavaScript; with it a bench.

import type { GetServerSideProps, PageProps } from 'portico'
import { PageHead } from '../components/frame/page-head.tsx'
import { PageTitle } from '../components/frame/page-title.tsx'
import { LabBench } from '../components/lab/lab-bench.tsx'
import { listPlaces, toCard } from '../lib/places/places.ts'
import { originOf } from '../lib/site/site-origin.ts'

export const getServerSideProps = (async ({ req }) => ({
  props: {
    origin: originOf(req.headers),
    images: listPlaces()
      .map(toCard)
      .map(({ slug, name, image }) => ({ slug, name, src: image.src, placeholder: image.placeholder })),
  },
})) satisfies GetServerSideProps

export default function Lab({ origin, images }: PageProps<typeof getServerSideProps>) {
  return (
    <div className="wrap">
      <PageHead
        title="The lab"
        description="Ask the image service for any plate at any size, and see bytes, time and cache beside the original."
      />
      <PageTitle
        title="The lab"
        lede="Every picture in the atlas is one large file. Ask for it at another width, quality or format, and compare what arrives."
      />
      <LabBench origin={origin} images={images} />
    </div>
  )
}
