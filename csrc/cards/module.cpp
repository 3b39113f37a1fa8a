#include "module.hpp"

NB_MODULE(_cards, module) {
  errai::cards::bind_strength(module);
  errai::cards::bind_indexer(module);
  errai::cards::bind_features(module);
  errai::cards::bind_clustering(module);
  errai::cards::bind_classes(module);
}
