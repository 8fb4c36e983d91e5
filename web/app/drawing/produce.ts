// Draws one landscape into one file. Runs in a worker; nothing here prints.
import { rename, writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { encodePicture } from './engine/picture.ts'
import type { Scene, Size } from './engine/scene.ts'

// One thread per picture: the pictures themselves run side by side.
sharp.concurrency(1)
sharp.cache(false)

/** The finished JPEG of a scene. */
export async function renderScene(scene: Scene, inner: Size, full: Size): Promise<Buffer> {
  const { picture, overlays, finish } = scene.draw(inner, full)
  return await encodePicture(picture, full, overlays, finish)
}

/** Writes the picture beside its place first: a file with the final name is always whole. */
export async function produce(scene: Scene, file: string, inner: Size, full: Size): Promise<number> {
  const bytes = await renderScene(scene, inner, full)
  const partial = `${file}.${process.pid}.partial`
  await writeFile(partial, bytes)
  await rename(partial, file)
  return bytes.length
}
