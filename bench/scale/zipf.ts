// Zipf's law: the game of rank k is played with a probability proportional to 1 / k to the power of the exponent.

export type Zipf = {
  /** Returns a rank from 0 for a random number from 0 up to 1, exclusive. */
  rankOf(random: number): number;
  /** The probability of a rank from 0. */
  shareOf(rank: number): number;
};

export function createZipf(count: number, exponent: number): Zipf {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) {
    sum += (rank + 1) ** -exponent;
    sums[rank] = sum;
  }
  const sumAt = (rank: number): number => sums[rank] ?? 0;
  return {
    rankOf(random) {
      const wanted = random * sum;
      let low = 0;
      let high = count - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (sumAt(middle) > wanted) high = middle;
        else low = middle + 1;
      }
      return low;
    },
    shareOf: (rank) => (sumAt(rank) - sumAt(rank - 1)) / sum,
  };
}
