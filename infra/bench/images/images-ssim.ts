// Likeness of two images (structural similarity, Wang et al. 2004) on brightness alone.

interface Luma {
  /** One byte a pixel. */
  data: Buffer
  width: number
  height: number
}

/** Side of the window and its step in pixels, as in the fast variant that video tools use. */
const WINDOW = 8
const STEP = 4
/** The paper's constants for 8 bits. */
const C1 = (0.01 * 255) ** 2
const C2 = (0.03 * 255) ** 2

/** 1 for equal images. Throws when their sizes differ. */
export function ssim(one: Luma, other: Luma): number {
  if (one.width !== other.width || one.height !== other.height) throw new Error('the images differ in size')
  let total = 0
  let windows = 0
  for (let top = 0; top + WINDOW <= one.height; top += STEP)
    for (let left = 0; left + WINDOW <= one.width; left += STEP) {
      total += windowLikeness(one.data, other.data, top * one.width + left, one.width)
      windows++
    }
  return total / windows
}

function windowLikeness(one: Buffer, other: Buffer, start: number, rowBytes: number): number {
  let [sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0]
  for (let y = 0; y < WINDOW; y++) {
    const row = start + y * rowBytes
    for (let at = row; at < row + WINDOW; at++) {
      const a = one[at]!
      const b = other[at]!
      sumA += a
      sumB += b
      squaresA += a * a
      squaresB += b * b
      products += a * b
    }
  }
  const count = WINDOW * WINDOW
  const [meanA, meanB] = [sumA / count, sumB / count]
  const varianceA = squaresA / count - meanA * meanA
  const varianceB = squaresB / count - meanB * meanB
  const covariance = products / count - meanA * meanB
  return (
    ((2 * meanA * meanB + C1) * (2 * covariance + C2)) /
    ((meanA * meanA + meanB * meanB + C1) * (varianceA + varianceB + C2))
  )
}
