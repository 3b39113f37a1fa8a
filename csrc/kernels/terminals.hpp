// Fold and showdown nodes of one board, in a file of their own: terminals.cpp, compiled like walk.cpp.
#pragma once

#include "tree.hpp"

namespace errai {
namespace ERRAI_ISA {

// Computes the values of the fold and showdown nodes of a part of a board from the opponent's reach.  Sweeps over hands
// use whole vectors or, with `halves`, twice as many of half the width.
void terminals(const Tree& tree, const Street& street, const Section& section, int board, int player,
               const Scratch& scratch, const float* opponent, float* values, bool halves);
void terminals(const Tree& tree, const Street& street, const Section& section, int board, int player,
               const Scratch& scratch, const double* opponent, double* values, bool halves);

}  // namespace ERRAI_ISA
}  // namespace errai
